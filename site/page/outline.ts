/** Marks the part of the page that is being read in the outline at its side. */
export function followOutline(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.outline a')]
  const parts = links.flatMap((link) => document.getElementById(decodeURIComponent(link.hash.slice(1))) ?? [])
  if (parts.length === 0) return
  const mark = () => {
    const passed = parts.filter((part) => part.getBoundingClientRect().top < 120)
    const current = passed.at(-1) ?? parts[0]
    for (const link of links) {
      const isCurrent = decodeURIComponent(link.hash.slice(1)) === current?.id
      if (isCurrent) link.setAttribute('aria-current', 'true')
      else link.removeAttribute('aria-current')
      if (isCurrent) keepInView(link)
    }
  }
  let isWaiting = false
  addEventListener(
    'scroll',
    () => {
      if (isWaiting) return
      isWaiting = true
      requestAnimationFrame(() => {
        isWaiting = false
        mark()
      })
    },
    { passive: true },
  )
  mark()
}

function keepInView(link: HTMLElement): void {
  const list = link.closest<HTMLElement>('.outline')
  if (list === null) return
  const [top, bottom] = [link.offsetTop, link.offsetTop + link.offsetHeight]
  if (top < list.scrollTop || bottom > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 2
}
