// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from 'preact';

export function Table({ head, rows, label }: { head: string[]; rows: ComponentChildren[][]; label: string }) {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label={label}>
      <table><thead><tr>{head.map((text) => <th scope="col">{text}</th>)}</tr></thead>
        <tbody>{rows.map((row) => <tr>{row.map((text) => <td>{text}</td>)}</tr>)}</tbody></table>
    </div>
  );
}
