import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { workspaceContract } from '@jurist/core/testing'
import { localWorkspace } from '@jurist/workspace'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { afterAll, describe, expect, test } from 'vitest'

const made: string[] = []
afterAll(() => Promise.all(made.map((directory) => rm(directory, { recursive: true, force: true }))))

async function open(files: { readonly [path: string]: string | Uint8Array }) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'jurist-test-')))
  made.push(root)
  for (const [path, content] of Object.entries(files)) {
    await mkdir(path.endsWith('/') ? join(root, path) : dirname(join(root, path)), { recursive: true })
    if (!path.endsWith('/')) await writeFile(join(root, path), content)
  }
  return localWorkspace(root)
}

workspaceContract({ describe, test }, 'localWorkspace', { open, canRun: true })

test('a program that is rewritten can still be executed', async () => {
  await using workspace = await temporaryWorkspace({ run: { executable: '#!/bin/sh\nexit 1\n' }, text: '' })
  for (const path of ['run', 'text', 'new']) await workspace.write(path, '#!/bin/sh\nexit 3\n')
  const codes = ['./run', './text', './new'].map(async (path) => (await workspace.run(path)).exitCode)
  expect(await Promise.all(codes)).toEqual([3, 126, 126])
})
