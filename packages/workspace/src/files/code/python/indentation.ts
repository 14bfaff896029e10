/** The widths of the blocks that are open, by Python's rule: with tabs to every eighth column, and with tabs of one. */
export interface Indentation {
  /** How many blocks a line with this margin opens (1) or closes (negative); a text when Python refuses it. */
  enter(margin: string): number | string
  /** How many blocks are open. */
  depth(): number
}

interface Width {
  readonly columns: number
  readonly characters: number
}

/** Python itself opens no more blocks than this. */
const maxBlocks = 100

/** The indentation of a file, before its first line. */
export function indentation(): Indentation {
  const open: Width[] = [{ columns: 0, characters: 0 }]
  return { enter, depth: () => open.length - 1 }

  function enter(margin: string): number | string {
    const width = widthOf(margin)
    const top = open.at(-1) ?? width
    if (width.columns > top.columns) {
      if (width.characters <= top.characters) return 'inconsistent use of tabs and spaces'
      open.push(width)
      return open.length > maxBlocks ? 'too many levels of indentation' : 1
    }
    let closed = 0
    while ((open.at(-1)?.columns ?? 0) > width.columns) {
      open.pop()
      closed++
    }
    const now = open.at(-1) ?? width
    if (now.columns !== width.columns) return 'unindent does not match any outer indentation level'
    return now.characters === width.characters ? -closed : 'inconsistent use of tabs and spaces'
  }
}

function widthOf(margin: string): Width {
  let columns = 0
  let characters = 0
  for (const character of margin) {
    if (character === '\f') {
      columns = 0
      characters = 0
    } else {
      columns = character === '\t' ? (Math.floor(columns / 8) + 1) * 8 : columns + 1
      characters++
    }
  }
  return { columns, characters }
}
