import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyOf, emptyDirectory, localWorkspace } from '@jurist/workspace'
import { temporaryDirectory } from '@jurist/workspace/internal'
import { temporaryWorkspace } from '@jurist/workspace/testing'
import { expect, test } from 'vitest'
import { deleteTree, sweepTemporary } from '../../src/temporary-directory.js'

/** Directories deeper than a path can be, made from within. */
const dig =
  'for i in $(seq 1 40); do n=$(printf "%0200d" $i); mkdir "$n" && cd "$n" || exit 1; done; echo deep > bottom.txt'

test('a tree that is deeper than any path is deleted', async () => {
  const workspace = await emptyDirectory()
  const { exitCode } = await workspace.run(['bash', '-c', `${dig}; mkdir closed $'closed-\\377'; chmod 0 closed*`])
  expect(exitCode).toBe(0)
  await workspace[Symbol.asyncDispose]()
  expect(existsSync(workspace.root)).toBe(false)
})

test('a tree that is deeper than any path is copied as far as there are paths, for judges too', async () => {
  await using workspace = await temporaryWorkspace({ 'a.txt': 'a' })
  await workspace.run(['bash', '-c', dig])
  await using copy = await copyOf(workspace.root, { misfits: 'leave-out' })
  expect(await copy.read('a.txt')).toBe('a')
  await deleteTree(workspace.root)
  mkdirSync(workspace.root)
})

test('a copy warns once of all that it leaves out', async () => {
  await using workspace = await emptyDirectory()
  for (const name of ['a', 'b', 'c']) symlinkSync('../elsewhere', join(workspace.root, name))
  const warnings: string[] = []
  const listen = ({ message }: Error) => warnings.push(message)
  process.on('warning', listen)
  await using copy = await copyOf(workspace.root, { misfits: 'leave-out' })
  expect(readdirSync(copy.root)).toEqual([])
  await expect.poll(() => warnings.length).toBeGreaterThan(0)
  process.off('warning', listen)
  expect(warnings).toEqual([expect.stringMatching(/leaves the directory.* So were 2 others\.$/)])
})

test('links in a deleted tree are not followed', async () => {
  await using other = await temporaryWorkspace({ 'kept/x.txt': 'x' })
  const directory = temporaryDirectory()
  symlinkSync(other.root, join(directory, 'link'))
  execFileSync('bash', ['-c', dig], { cwd: directory })
  await deleteTree(directory)
  expect(existsSync(directory)).toBe(false)
  expect(await other.read('kept/x.txt')).toBe('x')
  await deleteTree(directory)
})

test('bits that give the rights of an owner or a group are not copied, sizes and other bits are', async () => {
  await using source = await temporaryWorkspace({ small: 'x', large: 'x'.repeat(100_000), 'dir/a': '' })
  for (const [name, mode] of [
    ['small', 0o6755],
    ['large', 0o4711],
    ['dir', 0o2775],
  ] as const)
    chmodSync(join(source.root, name), mode)
  await using copy = await copyOf(source.root)
  const modes = ['small', 'large', 'dir'].map((name) => statSync(join(copy.root, name)).mode & 0o7777)
  expect(modes).toEqual([0o755, 0o711, 0o775])
})

test('a file of holes is copied with its holes', async () => {
  await using source = await temporaryWorkspace()
  await source.run('truncate -s 300M holes && printf end >> holes && truncate -s 310M holes')
  await using copy = await copyOf(source.root)
  const [before, after] = [statSync(join(source.root, 'holes')), statSync(join(copy.root, 'holes'))]
  expect(after.size).toBe(before.size)
  expect(after.blocks * 512).toBeLessThan(16 * 1024 * 1024)
  expect((await copy.run('tail -c +314572801 holes | head -c 3')).stdout).toBe('end')
})

test('a sweep deletes what a dead process left, but nothing that was kept, lives or only looks so', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'jurist-sweep-'))
  const mine = temporaryDirectory(parent)
  const name = mine.slice(parent.length + 1)
  const [, machine = ''] = name.split('-')
  const dead = `jurist-${machine}-${(2 ** 22 + 1).toString(36)}-abc-AbCdEf`
  const reused = `jurist-${machine}-${process.pid.toString(36)}-1-AbCdEf`
  const foreign = dead.replace(machine, '00000000')
  const kept = dead.replace('AbCdEf', 'KePtKe')
  for (const one of [dead, reused, foreign, kept]) mkdirSync(join(parent, one))
  writeFileSync(join(parent, `${kept}.kept`), '')
  const link = dead.replace('AbCdEf', 'LiNkLi')
  symlinkSync('/etc', join(parent, link))
  writeFileSync(join(parent, dead, 'x'), '')
  await sweepTemporary(parent)
  expect(readdirSync(parent).sort()).toEqual([foreign, kept, `${kept}.kept`, link, name].sort())
  await deleteTree(parent)
})

test('a workspace that is kept outlives its process', async () => {
  const workspace = await emptyDirectory()
  workspace.keep()
  await workspace[Symbol.asyncDispose]()
  expect(existsSync(`${workspace.root}.kept`)).toBe(true)
  expect(localWorkspace(workspace.root).root).toBe(workspace.root)
  await deleteTree(workspace.root)
  await deleteTree(`${workspace.root}.kept`)
})
