import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { runJudge } from '@jurist/core'
import { memoryWorkspace } from '@jurist/core/testing'
import { javaFile, pythonFile } from '@jurist/workspace/files'
import { expect, test } from 'vitest'

const java = ['class A { void a() {} void b() {} }', 'class A { void b() {} void a() {} }'] as const
const python = ['def f(): pass\ndef g(): pass\n', 'def g(): pass\ndef f(): pass\n'] as const
/** Its every arrow may begin a lambda in as many ways as there were arrows before: the parser needs gigabytes, and aborts. */
const hostile = 'a=>'.repeat(5_000)

const trial = (answer: string) => ({
  workspace: memoryWorkspace({ 'A.java': answer, 'a.py': python[1] }),
  reference: memoryWorkspace({ 'A.java': java[0], 'a.py': python[0] }),
})

test('a file that breaks the parser is compared by its tokens, and no other file suffers, beside it and after it', async () => {
  const honest = trial(java[1])
  const judgeHonest = () => [runJudge(javaFile('A.java'), honest), runJudge(pythonFile('a.py'), honest)]
  const [first, broken, ...others] = await Promise.all([
    runJudge(javaFile('A.java'), honest),
    runJudge(javaFile('A.java'), trial(hostile)),
    ...judgeHonest(),
  ])
  expect(broken.status).toBe('fail')
  expect(broken.metadata).toMatchObject({ by: 'tokens', notes: [expect.stringContaining('workspace does not parse')] })
  const later = await Promise.all(judgeHonest())
  expect([first, ...others, ...later].map(({ status }) => status)).toEqual(Array(5).fill('pass'))
})

/** Breaks a parser, forgets it while its module lives on, and lets the garbage collection run. */
const program = `
import { treeSitter } from '${new URL('../../../parsers/web-tree-sitter.js', import.meta.url)}'
const { Language, Parser } = treeSitter()
await Parser.init({ printErr: () => undefined })
const java = await Language.load('${new URL('../../../parsers/tree-sitter-java.wasm', import.meta.url).pathname}')
function breakOne() {
  const parser = new Parser()
  parser.setLanguage(java)
  try {
    parser.parse('a=>'.repeat(5_000))
  } catch ({ name }) {
    console.log(name)
  }
}
breakOne()
for (let times = 0; times < 5; times++) {
  gc()
  await new Promise((resolve) => setTimeout(resolve, 20))
}
console.log(java.name ?? 'alive')
`

test('a parser that broke is forgotten without an error that ends the process', async () => {
  const words = ['--expose-gc', '--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, words)
  expect(stdout).toBe('RuntimeError\nalive\n')
})
