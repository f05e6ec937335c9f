// SPDX-License-Identifier: Apache-2.0
// Search, filters, and the switch between light and dark. Each page works without it.
(() => {
  const root = document.documentElement;
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];

  const button = document.getElementById('theme');
  const themes = ['', 'light', 'dark'];
  const label = () => { button.textContent = { light: '☀ Light', dark: '☾ Dark' }[root.dataset.theme] ?? '◐ Auto'; };
  button.onclick = () => {
    const next = themes[(themes.indexOf(root.dataset.theme ?? '') + 1) % themes.length];
    if (next) root.dataset.theme = next; else delete root.dataset.theme;
    try { localStorage.setItem('theme', next); } catch { /* for this page only */ }
    label();
  };
  button.title = 'Colours: automatic, light or dark';
  button.hidden = false;
  label();

  // What a link names is shown, also inside of what is folded or filtered out.
  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let at = target; at; at = at.parentElement) {
      if (at.tagName === 'DETAILS') at.open = true;
      at.hidden = false;
    }
    target.closest('.entry')?.classList.add('target');
    all('.entry.target').forEach((one) => one.classList.toggle('target', one === target.closest('.entry')));
    target.scrollIntoView();
  };
  addEventListener('hashchange', reveal);

  for (const tools of all('.tools')) {
    const input = tools.querySelector('[data-filter]');
    const [release, red] = [tools.querySelector('[data-release]'), tools.querySelector('[data-red]')];
    const rows = all(input.dataset.filter);
    const texts = rows.map((row) => row.textContent.toLowerCase());
    const apply = () => {
      const words = input.value.toLowerCase().split(/\s+/);
      rows.forEach((row, at) => {
        row.hidden = !words.every((word) => texts[at].includes(word))
          || Boolean(release?.value && !row.dataset.releases.includes(` ${release.value} `))
          || Boolean(red?.checked && !row.querySelector('.fail, .known'));
      });
      const shown = rows.filter((row) => !row.hidden).length;
      tools.querySelector('[role=status]').textContent = shown === rows.length ? '' : `${shown} of ${rows.length}`;
    };
    const asked = new URLSearchParams(location.search).get('release');
    if (release && asked) { release.value = asked; apply(); }
    tools.oninput = apply;
  }
  if (location.hash) reveal();

  const form = document.querySelector('form[role=search]');
  const [search, results, found] = ['search', 'results', 'found'].map((id) => document.getElementById(id));
  form.hidden = false;
  const BOOST = { page: 3, tested: 3, bug: 2, level: 2, release: 2, clause: 1.5 };
  const STOP = new Set('a an and are do does for have how i in is it my of on or the to what when which with'.split(' '));
  let index;
  const script = (src) => new Promise((resolve, reject) => {
    document.head.append(Object.assign(document.createElement('script'), { src, onload: resolve, onerror: reject }));
  });
  const load = () => index ??= Promise.all(['minisearch.js', 'search-index.js'].map(script)).then(() => {
    const made = new MiniSearch({
      idField: 'u', fields: ['t', 'n', 'x'], storeFields: ['t', 'k'],
      tokenize: (text) => text.match(/\b[a-z]-\d+\b|\d+(?:\.\d+)+|[\p{L}\p{N}]+/giu) ?? [],
      processTerm: (word) => (STOP.has(word.toLowerCase()) ? null : word.toLowerCase()),
    });
    made.addAll(window.SITE_INDEX);
    return made;
  });
  const show = async () => {
    const asked = search.value.trim();
    const made = await load();
    if (search.value.trim() !== asked) return;
    const find = (combineWith) => made.search(asked, {
      prefix: true, fuzzy: (word) => (/\d/.test(word) || word.length < 6 ? false : 0.2), combineWith,
      boost: { n: 6, t: 3 }, boostDocument: (_, __, { k }) => BOOST[k] ?? 1,
    });
    let hits = find('AND');
    if (!hits.length) hits = find('OR');
    results.replaceChildren(...hits.slice(0, 12).map(({ id, t, k }) => {
      const link = Object.assign(document.createElement('a'), { href: id, textContent: t });
      link.append(Object.assign(document.createElement('small'), { textContent: k }));
      link.onclick = () => { results.hidden = true; };
      return link;
    }));
    if (!hits.length) results.textContent = 'Nothing found.';
    results.hidden = !asked;
    found.textContent = asked ? `${hits.length} found` : '';
  };
  search.onfocus = load;
  search.oninput = show;
  form.onsubmit = (event) => { event.preventDefault(); show().then(() => results.querySelector('a')?.click()); };
  addEventListener('keydown', (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName);
    if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      search.focus();
    } else if (event.key === 'Escape' && !results.hidden) {
      results.hidden = true;
      search.focus();
    } else if (/^Arrow(Up|Down)$/.test(event.key) && form.contains(document.activeElement) && !results.hidden) {
      const stops = [search, ...all('a', results)];
      const to = stops.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1);
      event.preventDefault();
      stops[Math.max(0, Math.min(to, stops.length - 1))].focus();
    }
  });
  addEventListener('click', (event) => { if (!form.contains(event.target)) results.hidden = true; });
})();
