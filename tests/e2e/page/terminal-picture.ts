import { styledTexts } from '../../../packages/viewer/page/transcript/ansi-text.js'
import type { TestBrowser } from './browser.js'

const colours: Readonly<Record<string, string>> = {
  'ansi-red': '#ff9a90',
  'ansi-green': '#74d3a0',
  'ansi-yellow': '#f0bd74',
  'ansi-bold': '#ffffff',
  'ansi-dim': '#9aa1ad',
}

/** Draws what a command printed as a terminal shows it. */
export async function drawTerminal(browser: TestBrowser, command: string, output: string, path: string): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 960, height: 200 }, deviceScaleFactor: 2 })
  const tab = await context.newPage()
  const spans = styledTexts(output.trimEnd()).map(({ text, style }) => span(text, style))
  await tab.setContent(`<!doctype html><style>
    body { margin: 0; background: transparent }
    pre { display: inline-block; margin: 0; padding: 18px 22px; border-radius: 10px; background: #14161a; color: #d7dae0;
      font: 13px/1.5 "JetBrains Mono", "DejaVu Sans Mono", monospace }
    .command { color: #a9bdf7 }
  </style><pre><span class="command">$ ${escaped(command)}</span>\n\n${spans.join('')}</pre>`)
  await tab.locator('pre').screenshot({ path, omitBackground: true })
  await context.close()
}

function span(text: string, style: string): string {
  const words = style.split(' ')
  const colour = words.flatMap((word) => colours[word] ?? []).at(-1)
  const weight = words.includes('ansi-bold') ? ';font-weight:700' : ''
  return colour === undefined ? escaped(text) : `<span style="color:${colour}${weight}">${escaped(text)}</span>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
