import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Workspace } from '@jurist/core'
import { commandEnvironment } from '../environment.js'
import { settingsOf } from '../workspace-settings.js'
import { rootsOf } from './command-evidence.js'
import { noEnd, noTestRan, reporterMark } from './reports/tap.js'

/** Code under test shares a process with its tests, and could replace something so that every assertion holds. */
const freezingSource = `for (const name of ['node:assert', 'node:test'])
  try {
    const part = require(name)
    Object.freeze(part.strict ?? part)
    Object.freeze(part)
  } catch {}
`

/**
 * Returns the option that makes Node freeze its assertions and its test runner before it loads anything else, in a
 * workspace that is thrown away. It is not `--import`: with that, Node 20 ignores what other options register for file
 * extensions.
 */
function freezingAssertions(workspace: Workspace): string {
  const [inside] = rootsOf(workspace)
  if (workspace.root === undefined || inside === undefined) return ''
  const file = `.jurist-assertions-${randomBytes(8).toString('hex')}.cjs`
  writeFileSync(join(workspace.root, file), freezingSource, { flag: 'wx' })
  return `--require=${JSON.stringify(join(inside, file))}`
}

/**
 * A reporter for `node --test`: TAP, with two corrections. Node counts a file that ended with 0 before its first test
 * as a passed test with the file's name, and omits tests that began in a process that disappeared. The reporter counts
 * both as failed.
 */
const source = `import { resolve } from 'node:path'
import { tap } from 'node:test/reporters'
const keyOf = ({ file, line, column, name }) => JSON.stringify([file, line, column, name])
const failed = (data, message) => {
  const error = Object.assign(new Error(message), { stack: '' })
  return { type: 'test:fail', data: { ...data, details: { duration_ms: 0, error } } }
}
async function* corrected(events) {
  const open = new Map()
  for await (const event of events) {
    const { type, data } = event
    const isTop = data?.nesting === 0
    const isFile = isTop && data.file !== undefined && data.name !== undefined && resolve(data.name) === data.file
    if (isTop && !isFile && type === 'test:enqueue') open.set(keyOf(data), data)
    if (isTop && (type === 'test:pass' || type === 'test:fail')) open.delete(keyOf(data))
    if (isFile && type === 'test:pass') yield failed(data, '${noTestRan}')
    else if (isTop && type === 'test:plan' && data.file === undefined) {
      for (const lost of open.values()) yield failed({ ...lost, testNumber: 0 }, '${noEnd}')
      yield { type, data: { ...data, count: data.count + open.size } }
    } else yield event
  }
}
export default async function* (events) {
  yield '${reporterMark}\\n'
  yield* tap(corrected(events))
}
`

const reporterOption = `--test-reporter=data:text/javascript,${encodeURIComponent(source).replaceAll("'", '%27')}`

/** Whether a command line runs Node's test runner, or a program that may, and names no reporter itself. */
export function mayAskNode(line: string): boolean {
  return /(?:^|[\s/;&|('"])(?:node|nodejs|tsx)(?=$|[\s'"])/.test(line) && !namesReporter(line)
}

/** Whether a command line runs Node's own test runner. */
export function runsNodeTests(line: string): boolean {
  return mayAskNode(line) && /(?:^|[\s'"])--test(?=$|[\s'"])/.test(line)
}

/** Whether Node would refuse another reporter. */
export function namesReporter(line: string): boolean {
  return line.includes('--test-reporter')
}

interface AskingNode {
  readonly workspace: Workspace
  /** Variables that the call adds. */
  readonly added?: { readonly [name: string]: string } | undefined
  /** Whether the workspace is a copy with hidden tests. Node's assertions are frozen there. */
  readonly isHidden: boolean
}

/**
 * Returns the variable that makes `node --test` write the report, since its own output depends on its version. Options
 * from the workspace or the call stay.
 */
export function askingNode({ workspace, added = {}, isHidden }: AskingNode): { readonly [name: string]: string } {
  const { NODE_OPTIONS: given = '' } = commandEnvironment(settingsOf(workspace)?.environment ?? {}, added)
  const options = [
    given,
    ...(namesReporter(given) ? [] : [reporterOption]),
    ...(isHidden ? [freezingAssertions(workspace)] : []),
  ].filter((option) => option !== '')
  return { NODE_OPTIONS: options.join(' ') }
}
