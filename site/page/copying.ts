/** Gives each block of code a button that copies it. */
export function addCopyButtons(): void {
  for (const block of document.querySelectorAll<HTMLElement>('.code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.className = 'copy'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(block.querySelector('code')?.textContent ?? '')
        button.textContent = 'Copied'
      } catch {
        button.textContent = 'Select and copy'
        getSelection()?.selectAllChildren(block.querySelector('code') ?? block)
      }
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 1_500)
    })
    block.append(button)
  }
}
