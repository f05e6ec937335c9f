// SPDX-License-Identifier: Apache-2.0
// Before the first paint: light or dark as chosen, else as the system says.
try {
  const chosen = localStorage.getItem('theme');
  if (chosen) document.documentElement.dataset.theme = chosen;
} catch { /* no storage: as the system says */ }
