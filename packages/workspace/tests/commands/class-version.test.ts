import { truncateSync } from 'node:fs'
import { infoOf, runJudge } from '@jurist/core'
import { aContext, memoryWorkspace } from '@jurist/core/testing'
import { classVersion, javaClassVersion } from '@jurist/workspace/commands'
import { type TemporaryFile, temporaryWorkspace } from '@jurist/workspace/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runFileVectors } from '../files/file-vectors.js'

runFileVectors({ describe, test }, 'vectors of class versions', {
  manifest: new URL('../../vectors/files/files.json', import.meta.url),
  select: (judge) => judge === 'classVersion',
})

const optionInvalid = expect.objectContaining({ code: 'option-invalid' })
const classFile = (major: number) =>
  Uint8Array.of(0xca, 0xfe, 0xba, 0xbe, 0, 0, Math.floor(major / 256), major % 256, 0, 0)

async function judged(
  options: Parameters<typeof classVersion>[0],
  files: { readonly [path: string]: TemporaryFile },
  metadata: { readonly [key: string]: unknown } = {},
) {
  await using workspace = await temporaryWorkspace(files)
  return await runJudge(classVersion(options), aContext({ workspace, metadata }))
}

describe('classVersion', () => {
  test('counts the versions, and names each class that is wrong', async () => {
    const judgment = await judged(61, {
      'target/classes/A.class': classFile(61),
      'target/classes/b/B.class': classFile(65),
      'app/build/classes/java/main/C.class': classFile(52),
      'target/test-classes/T.class': classFile(52),
      'target/classes/notes.txt': '',
    })
    expect(judgment).toMatchObject({
      status: 'fail',
      score: { type: 'boolean', value: false },
      reasoning: '2 of 3 classes do not have version 61 (Java 17)',
      metadata: {
        expected: 61,
        atMost: null,
        atLeast: null,
        classes: 3,
        mismatched: 2,
        versions: { 52: 1, 61: 1, 65: 1 },
      },
    })
    expect(judgment.checks.map(({ name, message }) => [name, message])).toEqual([
      ['class_version', '2 of 3 classes do not have version 61 (Java 17)'],
      ['app/build/classes/java/main/C.class', 'has version 52 (Java 8), expected 61 (Java 17)'],
      ['target/classes/b/B.class', 'has version 65 (Java 21), expected 61 (Java 17)'],
    ])
    expect(infoOf(classVersion(61))).toMatchObject({ name: 'classVersion', kind: 'deterministic' })
  })
  test('takes a range', async () => {
    const files = { 'target/classes/A.class': classFile(55), 'target/classes/B.class': classFile(61) }
    expect((await judged({ atLeast: 55, atMost: 61 }, files)).status).toBe('pass')
    expect((await judged({ atLeast: 56 }, files)).status).toBe('fail')
    expect((await judged({ atMost: 60 }, files)).metadata).toMatchObject({ mismatched: 1 })
  })
  test('leaves out what is compiled for releases of its own, unless asked for', async () => {
    const files = {
      'target/classes/A.class': classFile(52),
      'target/classes/module-info.class': classFile(53),
      'target/classes/META-INF/versions/11/A.class': classFile(55),
    }
    expect((await judged(52, files)).metadata).toMatchObject({ classes: 1, mismatched: 0 })
    expect((await judged({ expected: 52, include: 'all' }, files)).metadata).toMatchObject({
      classes: 3,
      mismatched: 2,
    })
  })
  test('takes the version from the metadata', async () => {
    const files = { 'target/classes/A.class': classFile(61) }
    expect((await judged(undefined, files, { targetClassVersion: 61 })).status).toBe('pass')
    expect((await judged({ targetFrom: 'java' }, files, { java: '65' })).status).toBe('fail')
    for (const value of [undefined, null, 6.1, '17.0', ['61'], {}, true]) {
      const judgment = await judged(undefined, files, { targetClassVersion: value })
      expect(judgment.status).toBe('abstain')
    }
    expect((await judged(undefined, files, { targetClassVersion: [61] })).reasoning).toContain('an array')
    expect((await judged({ targetFrom: 'toString' }, files)).status).toBe('abstain')
  })
  test('abstains where nothing was ever built', async () => {
    expect(await judged(61, { 'A.class': classFile(52) })).toMatchObject({
      status: 'abstain',
      reasoning: expect.stringContaining('no directory of classes'),
    })
  })
  test('fails where classes are gone', async () => {
    const built = memoryWorkspace({ 'target/classes/A.class': classFile(61) })
    const empty = memoryWorkspace({ 'target/classes/': '' })
    expect((await judged(61, { 'target/classes/': '' })).reasoning).toContain('no classes in target/classes')
    for (const context of [
      { workspace: empty },
      { workspace: memoryWorkspace({ 'target/classes': 'no directory' }) },
      { workspace: memoryWorkspace(), before: built },
      { workspace: memoryWorkspace(), reference: built },
    ])
      expect(await runJudge(classVersion(61), context)).toMatchObject({
        status: 'fail',
        checks: [{ name: 'class_version', passed: false }],
      })
  })
  test('what is no class file is wrong, and links are not believed', async () => {
    await using outside = await temporaryWorkspace({ 'A.class': classFile(61) })
    const judgment = await judged(61, {
      'target/classes/A.class': 'text, and long enough',
      'target/classes/B.class': Uint8Array.of(0xca, 0xfe),
      'target/classes/C.class': { link: `${outside.root}/A.class` },
    })
    expect(judgment.checks.slice(1).map(({ name, message }) => [name, message])).toEqual([
      ['target/classes/A.class', 'does not begin like a class file'],
      ['target/classes/B.class', 'has 2 bytes, too few for a class file'],
      ['target/classes/C.class', 'cannot be read: path-escape'],
    ])
  })
  test('roots may be the workspace itself, end in a slash, and name dependencies', async () => {
    const files = {
      'out/A.class': classFile(61),
      'B.class': classFile(61),
      'META-INF/versions/11/A.class': classFile(55),
      'node_modules/m/out/C.class': classFile(61),
    }
    const classesIn = async (...roots: readonly string[]) =>
      (await judged({ expected: 61, roots }, files)).metadata['classes']
    expect(await classesIn('out/')).toBe(1)
    expect(await classesIn('./out')).toBe(1)
    expect(await classesIn('.')).toBe(2)
    expect(await classesIn('./')).toBe(2)
    expect(await classesIn('**/out')).toBe(1)
    expect(await classesIn('node_modules/m/out/')).toBe(1)
    expect((await judged({ expected: 61, roots: ['.'] }, { a: '' })).reasoning).toBe('there are no classes in .')
  })
  test('only the beginning of a class is read, however large it is', async () => {
    await using workspace = await temporaryWorkspace({ 'target/classes/A.class': classFile(61) })
    truncateSync(`${workspace.root}/target/classes/A.class`, 3 * 1024 ** 3)
    expect((await runJudge(classVersion(61), { workspace })).status).toBe('pass')
    const large = new Uint8Array(11 * 1024 ** 2)
    large.set(classFile(61))
    const memory = memoryWorkspace({ 'target/classes/A.class': large })
    expect((await runJudge(classVersion(61), { workspace: memory })).status).toBe('pass')
  })
  test('shows at most 50 classes', async () => {
    const names = Array.from({ length: 60 }, (_, index) => [`out/C${index}.class`, classFile(50)])
    const workspace = memoryWorkspace(Object.fromEntries(names))
    const judgment = await runJudge(classVersion({ expected: 61, roots: ['out'] }), { workspace })
    expect([judgment.checks.length, judgment.metadata['mismatched']]).toEqual([51, 60])
  })
  test('any header has the version that it says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 65_535 }), async (major) => {
        const workspace = memoryWorkspace({ 'target/classes/A.class': classFile(major) })
        expect((await runJudge(classVersion(major), { workspace })).status).toBe('pass')
        expect((await runJudge(classVersion(major + 1), { workspace })).status).toBe('fail')
      }),
      { numRuns: 25 },
    )
  })
  test('bad options are refused when the judge is made', () => {
    for (const options of [0, 1.5, { atMost: -1 }, { roots: [''] }, { include: 'some' }, { release: 17 }])
      expect(() => classVersion(options as number)).toThrow(optionInvalid)
  })
})

test('javaClassVersion', () => {
  expect([5, 8, 17, 21].map(javaClassVersion)).toEqual([49, 52, 61, 65])
  for (const release of [4, 8.5, Number.NaN, '17' as unknown as number])
    expect(() => javaClassVersion(release)).toThrow(optionInvalid)
})
