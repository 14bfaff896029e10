import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Project } from '../../../jurist/tests/project.js'

/** Runs git in a directory. */
export const git = (directory: string, ...args: readonly string[]) =>
  execFileSync('git', ['-C', directory, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { encoding: 'utf8' })

function write(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
}

const testOf = (name: string, ...lines: readonly string[]) =>
  `import assert from 'node:assert'\nimport { test } from 'node:test'\nimport { ${name} } from '../src/${name}.js'\n${lines.join('\n')}\n`
/** The files of the first commit. */
export const base = {
  'package.json': '{"type":"module","scripts":{"test":"node --test --test-reporter=tap"}}\n',
  'src/sum.js': 'export const sum = (a, b) => a + b\n',
  'src/top.js': 'export const top = (all) => all[0]\n',
  'test/sum.test.js': testOf('sum', "test('adds', () => assert.equal(sum(1, 2), 3))"),
  'test/top.test.js': testOf('top', "test('takes one', () => assert.equal(top([7]), 7))"),
}

/** A clone of `acme/sums` with one commit, and the patch that some files make of it. */
function clone({ directory }: Project) {
  const place = join(directory, 'clones', 'acme', 'sums')
  write(place, base)
  git(place, 'init', '--quiet', '--initial-branch', 'main')
  git(place, 'add', '--all')
  git(place, 'commit', '--quiet', '--message', 'first')
  return {
    commit: git(place, 'rev-parse', 'HEAD').trim(),
    patch(files: Readonly<Record<string, string>>): string {
      write(place, files)
      git(place, 'add', '--all')
      const patch = git(place, 'diff', '--cached', 'HEAD')
      git(place, 'reset', '--quiet', '--hard')
      return patch
    },
  }
}

const addsTexts = "test('adds texts', () => assert.equal(sum('1', '2'), 3))"
const takesMost = "test('takes the most', () => assert.equal(top([1, 9]), 9))"
/** The right text of `src/sum.js`. */
export const fixedSum = 'export const sum = (a, b) => Number(a) + Number(b)\n'

/** Two instances; the patch of the second one is not right. */
export function twoInstances(made: Project) {
  const { commit, patch } = clone(made)
  const instance = (id: string, problem: string, fields: Readonly<Record<string, unknown>>) => ({
    ...{ instance_id: id, repo: 'acme/sums', base_commit: commit, problem_statement: problem, version: '1.0' },
    ...{ environment_setup_commit: commit, hints_text: 'look there', ...fields },
  })
  const sum = instance('acme__sums-1', 'Texts are not added.', {
    patch: patch({ 'src/sum.js': fixedSum }),
    test_patch: patch({ 'test/sum.test.js': `${base['test/sum.test.js']}${addsTexts}\n` }),
    FAIL_TO_PASS: '["adds texts"]',
    PASS_TO_PASS: '["adds"]',
  })
  const top = instance('acme__sums-2', 'top takes the first one.', {
    patch: patch({ 'src/top.js': 'export const top = (all) => all[1]\n' }),
    test_patch: patch({ 'test/top.test.js': `${base['test/top.test.js']}${takesMost}\n` }),
    FAIL_TO_PASS: ['takes the most'],
    PASS_TO_PASS: ['takes one'],
  })
  made.write({ 'instances.jsonl': `${JSON.stringify(sum)}\n${JSON.stringify(top)}\n` })
  return { commit, patch, sum, top }
}
