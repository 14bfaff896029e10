import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cassette } from '@jurist/core/llm'
import { cached, replay, requestKey, userRequest, wrapModel } from '@jurist/core/llm'
import { scriptedModel } from '@jurist/core/testing'
import { cassetteFile, fileCache } from '@jurist/experiment/store'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { childProgram, startChild } from '../child-program.js'

let directory = ''
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jurist-answers-'))
})
afterEach(async () => {
  await rm(directory, { recursive: true, force: true })
})

const processes = ['a', 'b', 'c', 'd']
const questions = 20

/** Lets several processes ask at the same time; fails when one of them does. */
async function askedByAll(kind: string, path: string): Promise<void> {
  const program = await childProgram('answers', directory)
  const children = processes.map((own) => startChild(program, [kind, path, own, String(questions)]))
  expect(await Promise.all(children.map(({ ended }) => ended))).toEqual(processes.map(() => 0))
}

const never = scriptedModel()
const key = 'ab'.repeat(32)
const response = { text: 'a', model: 'm', usage: { inputTokens: 1 }, logprobs: [{ token: 'a', logprob: -1, top: [] }] }

describe('fileCache', () => {
  test('keeps answers, also for another process', async () => {
    const path = join(directory, 'deep', 'cache')
    expect(await fileCache(path).get(key)).toBeUndefined()
    await fileCache(path).set(key, response)
    expect(await fileCache(path).get(key)).toEqual(response)
    expect(await readdir(join(path, 'ab'))).toEqual([`${key}.json`])
  })
  test('a key that is no digest is not a path', async () => {
    const cache = fileCache(join(directory, 'cache'))
    await cache.set('../../escape', response)
    expect(await cache.get('../../escape')).toEqual(response)
    expect(await readdir(directory)).toEqual(['cache'])
  })
  test.each(['', '{', '[]', '{"schemaVersion":2}', '{"schemaVersion":1,"key":"other","response":{"text":"b"}}'])(
    'a file of %j counts as not there, and is replaced',
    async (text) => {
      await mkdir(join(directory, 'ab'))
      await writeFile(join(directory, 'ab', `${key}.json`), text)
      const cache = fileCache(directory)
      expect(await cache.get(key)).toBeUndefined()
      await cache.set(key, response)
      expect(await cache.get(key)).toEqual(response)
    },
  )
  test('a disk that refuses is an error, which a model does not notice', async () => {
    const path = join(directory, 'file')
    await writeFile(path, '')
    await expect(fileCache(path).set(key, response)).rejects.toMatchObject({ code: 'store-failed' })
    const model = wrapModel(scriptedModel('a', 'b'), cached(fileCache(path)))
    expect([(await model(userRequest('x'))).text, (await model(userRequest('x'))).text]).toEqual(['a', 'b'])
  })
  test('several processes together', async () => {
    const path = join(directory, 'cache')
    await askedByAll('cache', path)
    const model = wrapModel(never, cached(fileCache(path)))
    for (const own of processes)
      expect((await model(userRequest(`question 1 of ${own}`))).text).toBe(`answer to question 1 of ${own}`)
    const files = (await readdir(path, { recursive: true })).filter((name) => name.includes('.'))
    expect(files.filter((name) => !name.endsWith('.json'))).toEqual([])
    expect(files).toHaveLength(questions / 2 + (processes.length * questions) / 2)
  })
})

const entry = (text: string): Cassette['entries'][number] => ({ key: text, messages: [], response: { text } })
const cassette = (...texts: readonly string[]): Cassette => ({ format: 'jurist-cassette/1', entries: texts.map(entry) })
const textsOf = (loaded: Cassette | undefined) => loaded?.entries.map(({ response: { text } }) => text)

describe('cassetteFile', () => {
  const path = () => join(directory, 'deep', 'judges.json')

  test('keeps a cassette as JSON that people can read', async () => {
    expect(await cassetteFile(path()).load()).toBeUndefined()
    await cassetteFile(path()).save(cassette('a', 'b'))
    expect(await cassetteFile(path()).load()).toEqual(cassette('a', 'b'))
    expect(await readFile(path(), 'utf8')).toBe(`${JSON.stringify(cassette('a', 'b'), undefined, 2)}\n`)
    expect(await readdir(join(directory, 'deep'))).toEqual(['judges.json'])
  })
  test('adds to what others have recorded meanwhile, equal entries too', async () => {
    const [one, other] = [cassetteFile(path()), cassetteFile(path())]
    await one.load()
    await other.load()
    await one.save(cassette('a', 'same'))
    await other.save(cassette('b', 'same'))
    await one.save(cassette('a', 'same', 'c'))
    expect(textsOf(await cassetteFile(path()).load())).toEqual(['a', 'same', 'b', 'same', 'c'])
  })
  test('takes out what was taken out here', async () => {
    await cassetteFile(path()).save(cassette('a', 'b'))
    const file = cassetteFile(path())
    await file.load()
    await cassetteFile(path()).save(cassette('a', 'b', 'c'))
    await file.save(cassette('b'))
    expect(textsOf(await cassetteFile(path()).load())).toEqual(['b', 'c'])
  })
  test('saving the same twice changes nothing', async () => {
    await cassetteFile(path()).save(cassette('a', 'a'))
    await cassetteFile(path()).save(cassette('a', 'a'))
    expect(textsOf(await cassetteFile(path()).load())).toEqual(['a', 'a'])
  })
  test.each([
    ['no JSON', '{', ''],
    ['no object', '[]', ''],
    ['another format', '{"format":"jurist-cassette/2","entries":[]}', '/format'],
    ['no entries', '{"format":"jurist-cassette/1"}', '/entries'],
    ['a bad entry', '{"format":"jurist-cassette/1","entries":[{"key":1}]}', '/entries/0'],
  ])('%s is an error, and is not written over', async (_, text, pointer) => {
    const file = join(directory, 'judges.json')
    await writeFile(file, text)
    const invalid = { code: 'record-invalid', details: { path: file, pointer } }
    await expect(cassetteFile(file).load()).rejects.toMatchObject(invalid)
    await expect(cassetteFile(file).save(cassette('a'))).rejects.toMatchObject(invalid)
    expect(await readFile(file, 'utf8')).toBe(text)
  })
  test('several processes together, and then a replay without a model', async () => {
    const file = join(directory, 'judges.json')
    await askedByAll('cassette', file)
    const loaded = await cassetteFile(file).load()
    const keys = new Set(loaded?.entries.map((one) => one.key))
    const model = wrapModel(never, replay(cassetteFile(file)))
    for (const own of processes)
      for (const index of [1, 3, 19]) {
        const request = userRequest(`question ${index} of ${own}`)
        expect(keys).toContain(await requestKey(request))
        expect((await model(request)).text).toBe(`answer to question ${index} of ${own}`)
      }
    const lost = processes.length * (questions / 2) + questions / 2 - keys.size
    expect(lost).toBe(0)
  })
})
