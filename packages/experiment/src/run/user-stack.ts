import { relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const mostFrames = 8
const longestName = 100

/** The directory that holds our packages: `packages` in the repository, `node_modules/@jurist` elsewhere. */
const ourHome = fileURLToPath(import.meta.url).replace(
  /[/\\][^/\\]+[/\\](?:dist|src)[/\\](?!.*[/\\](?:dist|src)[/\\]).*$/,
  '',
)

/**
 * The frames of the user's own code in the stack of an error, at most eight, one a line: `at fix (src/agent.js:12:5)`.
 * Frames of Node.js and of Jurist are left out; paths are relative to the project. `undefined`: there are none.
 *
 * @param stack as V8 writes it
 *
 * @example
 * userStack(new Error('no').stack, process.cwd()) // 'at evals/agent.ts:3:11'
 */
export function userStack(stack: string, projectDirectory: string): string | undefined {
  const frames = stack.split('\n').flatMap((line) => frameOf(line, projectDirectory))
  return frames.length === 0 ? undefined : frames.slice(0, mostFrames).join('\n')
}

const named = /^\s+at (?<name>.+) \((?<file>[^()]+):(?<line>\d+):(?<column>\d+)\)$/
const unnamed = /^\s+at (?:async )?(?<file>[^()]+):(?<line>\d+):(?<column>\d+)$/

function frameOf(text: string, projectDirectory: string): readonly string[] {
  const { name, file = '', line, column } = (named.exec(text) ?? unnamed.exec(text))?.groups ?? {}
  const path = pathOf(file)
  if (path === undefined || isOurs(path)) return []
  const place = `${relative(projectDirectory, path).split(sep).join('/')}:${line}:${column}`
  return [name === undefined ? `at ${place}` : `at ${name.slice(0, longestName)} (${place})`]
}

/** The path of a file; `undefined` for a name such as `node:internal/process`. */
function pathOf(file: string): string | undefined {
  try {
    const path = file.startsWith('file:') ? fileURLToPath(file.replace(/[?#].*$/, '')) : file
    return /^(?:\/|[A-Za-z]:[/\\])/.test(path) ? path : undefined
  } catch {
    return undefined
  }
}

function isOurs(path: string): boolean {
  if (/[/\\]node_modules[/\\](?:@jurist|jurist)[/\\]/.test(path)) return true
  return path.startsWith(ourHome) && /^[/\\][^/\\]+[/\\](?:dist|src)[/\\]/.test(path.slice(ourHome.length))
}
