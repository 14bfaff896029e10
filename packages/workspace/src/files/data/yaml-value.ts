import { yamlSizeProblem } from '@jurist/kit/yaml-size'
import { refuse } from '../compare-trees.js'

/** A YAML document as plain values, with the line of each part. */
export interface YamlValue {
  readonly value: unknown
  /** Counts from 1; of the nearest part that exists. */
  lineOf(path: readonly (string | number)[]): number
}

/**
 * Reads one YAML document.
 *
 * @throws an error that says what is wrong, and in which line
 */
export async function yamlValue(text: string): Promise<YamlValue> {
  const { isNode, Lexer, LineCounter, parseDocument } = await import('yaml')
  const tooLarge = yamlSizeProblem(new Lexer().lex(text))
  if (tooLarge !== undefined) refuse(tooLarge.message, tooLarge.line)
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const [error] = document.errors
  if (error !== undefined) throw new Error(`line ${lines.linePos(error.pos[0]).line}: ${error.message}`)
  return {
    value: document.toJS(),
    lineOf(path) {
      for (let length = path.length; length > 0; length -= 1) {
        const node = document.getIn(path.slice(0, length), true)
        if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
      }
      return 1
    },
  }
}
