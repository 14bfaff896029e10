import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRefusedFile, regularFileText } from '@jurist/kit/regular-file'
import { afterAll, beforeAll, expect, test } from 'vitest'

let directory = ''
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'jurist-regular-'))
  writeFileSync(join(directory, 'text'), 'grüße')
  symlinkSync('text', join(directory, 'link'))
  writeFileSync(join(directory, 'sparse'), '')
  truncateSync(join(directory, 'sparse'), 3 * 1024 ** 3)
  execFileSync('mkfifo', [join(directory, 'fifo')])
})
afterAll(() => rmSync(directory, { recursive: true }))

test.each(['text', 'link'])('%s is read', async (name) => {
  expect(await regularFileText(join(directory, name))).toBe('grüße')
})

test.each([
  ['fifo', 'it is not a regular file'],
  ['.', 'it is a directory'],
  ['sparse', 'it is larger than 256 MB'],
])('%s is refused at the first look', async (name, message) => {
  const thrown = await regularFileText(join(directory, name)).catch((failure: unknown) => failure)
  expect(isRefusedFile(thrown)).toBe(true)
  expect(thrown).toHaveProperty('message', message)
})

test('what is missing is an error of the system', async () => {
  const thrown = await regularFileText(join(directory, 'missing')).catch((failure: unknown) => failure)
  expect([isRefusedFile(thrown), (thrown as NodeJS.ErrnoException).code]).toEqual([false, 'ENOENT'])
})
