import { runJudge } from '@jurist/core'
import { memoryWorkspace } from '@jurist/core/testing'
import { compareFiles, javaFile, pythonFile } from '@jurist/workspace/files'
import { expect, test } from 'vitest'

const java = ['class A { void a() {} void b() {} }', 'class A { void b() {} void a() {} }'] as const
const python = ['def f(): pass\ndef g(): pass\n', 'def g(): pass\ndef f(): pass\n'] as const
/** Its every arrow may begin a lambda in as many ways as there were arrows before: the parser needs gigabytes, and aborts. */
const hostile = 'a=>'.repeat(5_000)
const bytes = (text: string) => new TextEncoder().encode(text)

const trial = (answer: string) => ({
  workspace: memoryWorkspace({ 'A.java': answer, 'a.py': python[1] }),
  reference: memoryWorkspace({ 'A.java': java[0], 'a.py': python[0] }),
})

test('a file that breaks the parser is compared by its tokens, and no other file suffers', async () => {
  const broken = await runJudge(javaFile('A.java'), trial(hostile))
  expect(broken.status).toBe('fail')
  expect(broken.metadata).toMatchObject({ by: 'tokens', notes: [expect.stringContaining('workspace does not parse')] })
  const honest = trial(java[1])
  expect((await runJudge(javaFile('A.java'), honest)).status).toBe('pass')
  expect((await runJudge(pythonFile('a.py'), honest)).status).toBe('pass')
  const compared = async (reference: string, actual: string, language: 'java' | 'python') =>
    (await compareFiles(bytes(reference), bytes(actual), { language })).result
  expect(
    await Promise.all([
      compared(...java, 'java'),
      compared(java[0], hostile, 'java'),
      compared(...java, 'java'),
      compared(...python, 'python'),
      compared(...java, 'java'),
    ]),
  ).toEqual(['equivalent', 'differs', 'equivalent', 'equivalent', 'equivalent'])
})
