// SPDX-License-Identifier: Apache-2.0
// What differs on paper: everything that is wrong is opened, and drawings are made for its width.
import { useEffect, useState } from 'preact/hooks';

export const PAPER_WIDTH = 700; // of A4 and Letter, in the pixels of a style sheet

export function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const begin = () => setPrinting(true);
    const end = () => setPrinting(false);
    addEventListener('beforeprint', begin);
    addEventListener('afterprint', end);
    return () => {
      removeEventListener('beforeprint', begin);
      removeEventListener('afterprint', end);
    };
  }, []);
  return printing;
}
