import { markup } from '../escape/markup.js'

const style = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 20%, transparent) }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.25rem; margin-top: 2rem } h3, h4 { font-size: 1rem }
.wide { overflow-x: auto }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid var(--line) }
th.number, td.number { text-align: right; font-variant-numeric: tabular-nums }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .4rem 0; padding: .3rem .7rem }
summary { cursor: pointer; overflow-wrap: anywhere }
ul.verdict { padding-left: 1.2rem } ul.verdict p { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap }
.status { font-weight: 600 }
.pass { color: light-dark(#0a6b2b, #5fd38a) } .fail, .error { color: light-dark(#b3171f, #ff8a8a) }
.abstain, .undecided { color: light-dark(#7a5300, #e6b95c) }
pre { overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--line); padding: .5rem }
`

/** A whole page, well-formed as XML too: no script, no request to anywhere, which its policy also says to the browser. */
export function htmlPage(title: string, body: string): string {
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8" />',
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'unsafe-inline\'" />',
    '<meta name="viewport" content="width=device-width, initial-scale=1" />',
    '<meta name="referrer" content="no-referrer" />',
    `<title>${markup(title)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    '<main>',
    body,
    '</main>',
    '</body>',
    '</html>',
    '',
  ].join('\n')
}
