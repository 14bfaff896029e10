import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileStore, memoryStore } from '@jurist/experiment/store'
import { resultStoreContract } from '@jurist/experiment/testing'
import { afterAll, describe, test } from 'vitest'

const made: string[] = []
afterAll(async () => {
  await Promise.all(made.map((directory) => rm(directory, { recursive: true, force: true })))
})

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'jurist-store-'))
  made.push(directory)
  return directory
}

resultStoreContract({ describe, test }, 'memoryStore', { open: async () => memoryStore() })
resultStoreContract({ describe, test }, 'fileStore', {
  open: async () => fileStore(join(await newDirectory(), 'results')),
})
resultStoreContract({ describe, test }, 'fileStore without sync', {
  open: async () => fileStore(await newDirectory(), { sync: false }),
})

const shared = newDirectory()
resultStoreContract({ describe, test }, 'fileStore on one directory', { open: async () => fileStore(await shared) })
