import { maxDepth } from '../files/comparator.js'
import { quoted } from '../quotation.js'
import { corrupt } from './coverage-report.js'

/** Receives a JSON document while it is read. A path has the keys from the outside in, and `''` for each list. */
export interface JsonListener {
  /** A text, a number, true, false or null. */
  value(path: readonly string[], value: unknown): void
  /** An object that begins or ends. */
  objectBegins(path: readonly string[]): void
  objectEnds(path: readonly string[]): void
}

interface OpenValue {
  /** The keys so far of an object; a list has none. */
  readonly keys?: Set<string>
}

/** Reads a JSON document without building it; refuses invalid JSON, a repeated key and more than 256 levels. */
export async function readJsonValues(text: string, listener: JsonListener): Promise<void> {
  const { printParseErrorCode, visit } = await import('jsonc-parser')
  const open: OpenValue[] = []
  const path: string[] = []
  const begin = (value: OpenValue) => {
    if (open.push(value) > maxDepth.data) corrupt(`it is nested deeper than ${maxDepth.data} levels`)
    path.push('')
  }
  const end = () => {
    open.pop()
    path.pop()
  }
  visit(
    text,
    {
      onObjectBegin: () => {
        listener.objectBegins(path)
        begin({ keys: new Set() })
      },
      onObjectEnd: () => {
        end()
        listener.objectEnds(path)
      },
      onArrayBegin: () => begin({}),
      onArrayEnd: end,
      onObjectProperty: (key) => {
        const keys = open.at(-1)?.keys
        if (keys?.has(key)) corrupt(`the key ${quoted(key)} is repeated`)
        keys?.add(key)
        path[path.length - 1] = key
      },
      onLiteralValue: (value) => listener.value(path, value),
      onError: (code, _offset, _length, line) =>
        corrupt(`it is not valid JSON: ${printParseErrorCode(code)} on line ${line + 1}`),
    },
    { disallowComments: true, allowTrailingComma: false },
  )
}
