// Loaded before a program that a test starts (node --import 'end-with-parent.mjs?parent=ID' program): ends the program when the
// test has ended, also when that was killed. The test holds the other end of file descriptor 3.
import { Socket } from 'node:net'
import { isMainThread } from 'node:worker_threads'

const parent = Number(new URL(import.meta.url).searchParams.get('parent'))

// Threads and processes that the program starts may load this file as well.
if (isMainThread && process.ppid === parent)
  new Socket({ fd: 3 })
    .on('error', () => undefined)
    .on('close', () => process.exit(130))
    .resume()
    .unref()
