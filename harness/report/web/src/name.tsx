// SPDX-License-Identifier: Apache-2.0
import { Fragment } from 'preact';

// A name that may break before each of its words: "Atomic.SimultaneousLeaseExpiry", "embedded+lost-wakeup".
export function Name({ text }: { text: string }) {
  return <>{text.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[.,+@/:_-])/).map((word, i) =>
    <Fragment key={i}>{i === 0 ? null : <wbr />}{word}</Fragment>)}</>;
}
