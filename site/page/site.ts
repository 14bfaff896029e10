import { addCopyButtons } from './copying.js'
import { followOutline } from './outline.js'
import { openSearch } from './search-dialog.js'

/** The scripts of every page. Pages are complete without them: they add search, dark mode, the menu of phones and copying. */
const html = document.documentElement

const themeButton = document.querySelector<HTMLButtonElement>('.theme-button')
const isDark = () =>
  html.dataset['theme'] === undefined
    ? matchMedia('(prefers-color-scheme: dark)').matches
    : html.dataset['theme'] === 'dark'
const showTheme = () => themeButton?.setAttribute('aria-pressed', String(isDark()))
themeButton?.addEventListener('click', () => {
  html.dataset['theme'] = isDark() ? 'light' : 'dark'
  try {
    localStorage.setItem('jurist-theme', html.dataset['theme'])
  } catch {
    // The choice holds for this page where nothing can be kept.
  }
  showTheme()
})
showTheme()

const menuButton = document.querySelector<HTMLButtonElement>('.menu-button')
menuButton?.addEventListener('click', () => {
  const isOpen = document.body.classList.toggle('menu-open')
  menuButton.setAttribute('aria-expanded', String(isOpen))
  if (isOpen) document.querySelector<HTMLElement>('#menu a')?.focus()
})
document.querySelector('#menu [aria-current]')?.scrollIntoView({ block: 'center' })

document.querySelector('.search-button')?.addEventListener('click', openSearch)
addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
  const isSlash = event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey
  if (isSlash || (event.key === 'k' && (event.ctrlKey || event.metaKey))) {
    event.preventDefault()
    openSearch()
  }
  if (event.key === 'Escape' && document.body.classList.contains('menu-open')) menuButton?.click()
})

addCopyButtons()
followOutline()

/** What is wider than its place can be scrolled by keys as well. */
for (const wide of document.querySelectorAll<HTMLElement>('pre, .table'))
  if (wide.scrollWidth > wide.clientWidth) wide.tabIndex = 0
