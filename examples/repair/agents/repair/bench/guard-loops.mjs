import { parse } from '@babel/parser'

const parsed = (text, path) =>
  parse(text, {
    sourceType: 'unambiguous',
    plugins: /\.[cm]?ts$/.test(path) ? ['typescript'] : [],
    allowReturnOutsideFunction: true,
    attachComment: false,
  }).program

/** Whether a text is an ECMAScript module, and no script. */
export const isModule = (text, path) => parsed(text, path).sourceType === 'module'

/**
 * The program with a call of `$turn()` at the start of each turn of each loop, so that a loop without end can be cut
 * without losing the thread.
 */
export function guardLoops(text, path) {
  const edits = []
  const visit = (node) => {
    if (/^(While|DoWhile|For|ForIn|ForOf)Statement$/.test(node.type)) guard(node.body, edits)
    for (const value of Object.values(node))
      for (const child of Array.isArray(value) ? value : [value]) if (typeof child?.type === 'string') visit(child)
  }
  visit(parsed(text, path))
  return edits.sort(([a], [b]) => b - a).reduce((done, [at, put]) => done.slice(0, at) + put + done.slice(at), text)
}

function guard(body, edits) {
  if (body.type === 'BlockStatement') edits.push([body.start + 1, '$turn();'])
  else edits.push([body.start, '{$turn();'], [body.end, '}'])
}
