import { fail, type Judge, pass, withInfo } from 'jurist'

/** Passes when no line of the file contains TODO. */
export function noTodo(path: string): Judge {
  const judge: Judge = async ({ workspace }) => {
    const lines = (await workspace.read(path)).split('\n')
    const line = lines.findIndex((text) => text.includes('TODO')) + 1
    if (line === 0) return pass(`${path} is done`)
    const check = { name: 'no_todo', passed: false, message: 'a TODO is left', location: { path, line } }
    return fail(`${path} is not done`, { checks: [check] })
  }
  return withInfo(judge, { name: 'noTodo', options: { path } })
}
