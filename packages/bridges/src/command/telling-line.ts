/** How a line begins that names an error: `TypeError: …`, `java.io.IOException: …`, `error: …`, `fatal: …`, `panic: …`. */
const namesAnError =
  /^(?:Uncaught |Caused by: |Exception in thread "[^"]*" )?(?:[\w.$]*(?:Error|Exception)(?: \[\w+\])?|[Ee]rror|ERROR|[Ff]atal|FATAL|panic)\b.{0,3}:/

/** What a runtime prints around an error: frames of a stack, its own version, a caret below a place. */
const noise = /^(?:at |Node\.js v\d|File "|\^|npm (?:ERR!|error) (?:A complete log|$)|During handling|\}|$)/

/**
 * The line of an error output that tells most: the last one that names an error, else the last one that is not only noise
 * of a runtime. `''` when there is none.
 *
 * @example
 * tellingLine('main.mjs:1\nthrow new Error("no key")\n\nError: no key\n    at main.mjs:1:7\n\nNode.js v20.20.2') // 'Error: no key'
 */
export function tellingLine(output: string): string {
  const lines = output.split(/\r?\n/).map((line) => line.trim())
  const named = lines.findLast((line) => namesAnError.test(line.slice(0, 400)))
  return named ?? lines.findLast((line) => !noise.test(line)) ?? ''
}
