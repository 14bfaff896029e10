export interface StyledText {
  readonly text: string
  readonly style: string
}

const colours = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'] as const
type Colour = (typeof colours)[number] | 'grey'

interface Rendition {
  readonly front?: Colour | undefined
  readonly back?: Colour | undefined
  readonly isReversed?: boolean
  readonly marks: Readonly<Partial<Record<'bold' | 'dim' | 'italic' | 'underline' | 'strike', boolean>>>
}

/** Select Graphic Rendition (ECMA-48, 8.3.117). Longer sequences than any program writes are dropped. */
const rendition = /\u001b\[([\d;:]{0,60})m/
/** All other control sequences, and the controls of strings such as titles and links. */
const others =
  /\u001b\[(?![\d;:]{0,60}m)[0-?]*[ -/]*[@-~]?|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b(?!\[)[ -/]*[0-~]?|\u009b[0-?]*[ -/]*[@-~]?/g
/** A terminal shows only what follows the last carriage return of a line. */
const overwritten = /^[^\n]*\r(?!\n|$)/gm
/** The number of parts with a style. The rest of a longer string has none. */
const maxParts = 5_000

/**
 * Splits the output of a program into parts with the styles that a terminal shows. Cursor movements, titles and links
 * are removed. Colours become the eight names of the palette, so that they are readable in both themes.
 */
export function styledTexts(text: string): readonly StyledText[] {
  const clean = text.replace(others, '').replace(overwritten, '')
  const [first = '', ...rest] = clean.split(rendition)
  const parts: StyledText[] = first === '' ? [] : [{ text: first, style: '' }]
  let state: Rendition = { marks: {} }
  for (let at = 0; at < rest.length; at += 2) {
    const content = rest[at + 1] ?? ''
    state = applied(state, rest[at] ?? '')
    if (content === '') continue
    const style = parts.length < maxParts ? styleOf(state) : ''
    const last = parts.at(-1)
    if (last?.style === style) parts[parts.length - 1] = { text: last.text + content, style }
    else parts.push({ text: content, style })
  }
  return parts
}

function applied(before: Rendition, parameters: string): Rendition {
  const codes = parameters.split(/[;:]/).map(Number)
  let state = before
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0
    if (code === 38 || code === 48) {
      const { colour, length } = extendedColour(codes.slice(at + 1))
      state = code === 38 ? { ...state, front: colour } : { ...state, back: colour }
      at += length
    } else state = withCode(state, code)
  }
  return state
}

function withCode(state: Rendition, code: number): Rendition {
  const mark = (marks: Rendition['marks']): Rendition => ({ ...state, marks: { ...state.marks, ...marks } })
  if (code === 0) return { marks: {} }
  if (code === 1) return mark({ bold: true })
  if (code === 2) return mark({ dim: true })
  if (code === 3 || code === 23) return mark({ italic: code === 3 })
  if (code === 4 || code === 24) return mark({ underline: code === 4 })
  if (code === 7 || code === 27) return { ...state, isReversed: code === 7 }
  if (code === 9 || code === 29) return mark({ strike: code === 9 })
  if (code === 22) return mark({ bold: false, dim: false })
  if (code === 39) return { ...state, front: undefined }
  if (code === 49) return { ...state, back: undefined }
  if (code === 90) return { ...state, front: 'grey' }
  const [base, name] = [Math.floor(code / 10) % 10, colours[code % 10]]
  if (name !== undefined && (base === 3 || base === 9) && code < 100) return { ...state, front: name }
  if (name !== undefined && (base === 4 || code >= 100) && code < 108) return { ...state, back: name }
  return state
}

/** Reads the colour of `5;n` or `2;r;g;b`, and how many codes it takes. */
function extendedColour([kind, ...values]: readonly number[]): {
  readonly colour: Colour | undefined
  readonly length: number
} {
  if (kind === 2) return { colour: nearest(values.slice(0, 3)), length: 4 }
  if (kind !== 5) return { colour: undefined, length: 0 }
  const [index = 0] = values
  if (index < 16) return { colour: index === 8 ? 'grey' : colours[index % 8], length: 2 }
  if (index > 231) return { colour: 'grey', length: 2 }
  const cube = index - 16
  return {
    colour: nearest([Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((at) => at * 51)),
    length: 2,
  }
}

/** Returns the name in the palette with the nearest hue. Greys have no hue. */
function nearest(channels: readonly number[]): Colour {
  const most = Math.max(...channels)
  if (most - Math.min(...channels) < 40) return most > 200 ? 'white' : most < 60 ? 'black' : 'grey'
  const bits = channels.reduce((sum, value, at) => sum + (value > most * 0.6 ? 1 << at : 0), 0)
  return colours[bits] ?? 'white'
}

function styleOf({ front, back, isReversed = false, marks }: Rendition): string {
  const [ink, paper] = isReversed ? [back, front ?? 'white'] : [front, back]
  return [
    ink === undefined ? '' : `ansi-${ink}`,
    paper === undefined ? '' : `ansi-on-${paper}`,
    ...Object.entries(marks).map(([name, isSet]) => (isSet ? `ansi-${name}` : '')),
  ]
    .filter((name) => name !== '')
    .join(' ')
}
