import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Makes a repository with a function that two commits mend. */
export function makeSampleHistory(repository: string): void {
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-C', repository, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words], {
      stdio: 'ignore',
    })
  const write = (path: string, text: string) => {
    mkdirSync(join(repository, path, '..'), { recursive: true })
    writeFileSync(join(repository, path), text)
  }
  const tests = [
    "import test from 'node:test'\nimport { equal } from 'node:assert'\nimport { sum } from '../src/sum.js'",
  ]
  const commit = (message: string, code: string, more: string) => {
    tests.push(more)
    write('src/sum.js', `export const sum = ${code}\n`)
    write('test/sum.test.js', `${tests.join('\n')}\n`)
    git('add', '--all')
    git('commit', '--quiet', '--message', message)
  }
  write('package.json', '{ "type": "module", "scripts": { "test": "node --test" } }\n')
  git('init', '--quiet', '--initial-branch', 'main')
  commit('The first version of sum', '(a, b) => a + b', "test('adds', () => equal(sum(1, 2), 3))")
  commit(
    'Sum takes any number of numbers',
    '(...all) => all.reduce((a, b) => a + b)',
    "test('adds many', () => equal(sum(1, 2, 3), 6))",
  )
  commit(
    'The sum of nothing is zero',
    '(...all) => all.reduce((a, b) => a + b, 0)',
    "test('adds nothing', () => equal(sum(), 0))",
  )
}
