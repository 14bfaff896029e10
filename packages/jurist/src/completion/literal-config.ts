import { readFile, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { parseScript, type ScriptNode, scriptChild, scriptChildren } from '@jurist/workspace/internal'
import { readDocument } from '../config/read-document.js'

/** Larger configs are not read while somebody types. */
const maxBytes = 500_000
/** So many nodes of the program are read, also where constants are used again and again. */
const maxNodes = 50_000
const maxDepth = 40

/**
 * As much of a config as its text says, without running it: a document as it is; of a program the literals that it exports by
 * default, also through constants and calls such as `defineConfig({…})`. What is computed is left out.
 */
export async function literalConfig(file: string): Promise<unknown> {
  if ((await stat(file)).size > maxBytes) return undefined
  if (/^\.(ya?ml|json)$/.test(extname(file))) return (await readDocument(file)).value
  const parsed = await parseScript(await readFile(file, 'utf8'), file)
  if (!('file' in parsed)) return undefined
  const program = scriptChild(parsed.file, 'program')
  const statements = program === undefined ? [] : scriptChildren(program, 'body')
  const exported = statements.find(({ type }) => type === 'ExportDefaultDeclaration')
  const value = exported && scriptChild(exported, 'declaration')
  return value && literal(value, { constants: constantsIn(statements), nodes: maxNodes }, maxDepth)
}

interface Reading {
  readonly constants: ReadonlyMap<string, ScriptNode>
  /** How many may still be read. */
  nodes: number
}

function constantsIn(statements: readonly ScriptNode[]): Reading['constants'] {
  const declarations = statements.flatMap((statement) => {
    const inner = statement.type === 'ExportNamedDeclaration' ? scriptChild(statement, 'declaration') : statement
    return inner?.type === 'VariableDeclaration' ? scriptChildren(inner, 'declarations') : []
  })
  return new Map(
    declarations.flatMap((declaration) => {
      const [id, init] = [scriptChild(declaration, 'id'), scriptChild(declaration, 'init')]
      return typeof id?.['name'] === 'string' && init !== undefined ? [[id['name'], init] as const] : []
    }),
  )
}

function literal(node: ScriptNode, reading: Reading, depth: number): unknown {
  reading.nodes -= 1
  if (depth === 0 || reading.nodes < 0) return undefined
  const inner = (value: ScriptNode | undefined) => value && literal(value, reading, depth - 1)
  switch (node.type) {
    case 'StringLiteral':
    case 'NumericLiteral':
    case 'BooleanLiteral':
      return node['value']
    case 'ArrayExpression':
      return scriptChildren(node, 'elements').map(inner)
    case 'ObjectExpression':
      return Object.fromEntries(
        scriptChildren(node, 'properties').flatMap((property) => {
          if (property.type === 'SpreadElement') return Object.entries(Object(inner(scriptChild(property, 'argument'))))
          const key = property['computed'] === true ? undefined : scriptChild(property, 'key')
          const name = key?.['name'] ?? key?.['value']
          return name === undefined ? [] : [[String(name), inner(scriptChild(property, 'value'))] as const]
        }),
      )
    case 'Identifier':
      return inner(reading.constants.get(String(node['name'])))
    case 'CallExpression':
      return inner(scriptChildren(node, 'arguments')[0])
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
    case 'ParenthesizedExpression':
    case 'AwaitExpression':
      return inner(scriptChild(node, node.type === 'AwaitExpression' ? 'argument' : 'expression'))
    default:
      return undefined
  }
}
