/** Standard output for a program that reads it: what configs and judges print goes to stderr meanwhile. */
export interface OwnStdout extends Disposable {
  readonly write: (text: string) => void
}

/** Takes standard output for this command alone, until it is disposed of. */
export function ownStdout(): OwnStdout {
  const { stdout, stderr } = process
  const write = stdout.write
  stdout.write = stderr.write.bind(stderr)
  return {
    write: (text) => void write.call(stdout, text),
    [Symbol.dispose]() {
      stdout.write = write
    },
  }
}
