/**
 * Opens the search: a dialog with a field and a list, used by keys or a pointer. The field takes letters immediately; what it
 * is looked up in is loaded when it is first opened, so a page that is only read never loads it.
 */
export function openSearch(): void {
  const dialog = document.querySelector<HTMLDialogElement>('dialog.search') ?? madeDialog()
  if (!dialog.open) dialog.showModal()
  const input = dialog.querySelector('input')
  input?.focus()
  input?.select()
}

function madeDialog(): HTMLDialogElement {
  const dialog = document.createElement('dialog')
  dialog.className = 'search'
  dialog.setAttribute('aria-label', 'Search')
  dialog.innerHTML = `<input type="text" role="combobox" aria-label="Search the site" placeholder="Search guides and names" autocomplete="off" spellcheck="false" aria-expanded="false" aria-controls="hits" aria-autocomplete="list">
<ul id="hits" role="listbox" aria-label="Results"></ul>
<p class="state" role="status"></p>
<p class="help"><kbd>↑</kbd> <kbd>↓</kbd> choose <kbd>Enter</kbd> open <kbd>Esc</kbd> close</p>`
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close()
  })
  document.body.append(dialog)
  for (const name of ['search-data.js', 'search.js']) {
    const script = document.createElement('script')
    script.src = `${document.documentElement.dataset['top'] ?? ''}assets/${name}`
    script.async = false
    document.head.append(script)
  }
  return dialog
}
