'use strict'
// Talks to the process of the code under test while the thread of the tests waits for an answer.
const { createConnection } = require('node:net')
const { workerData } = require('node:worker_threads')

const { port, place, count } = workerData
const mostCharacters = 64 * 1024 * 1024

const tell = (line) => {
  port.postMessage(line)
  Atomics.add(count, 0, 1)
  Atomics.notify(count, 0)
}
const gone = (reason) => tell(JSON.stringify({ ended: { reason } }))

const socket = createConnection(place)
let text = ''
let hasEnded = false
socket.setEncoding('utf8')
socket.on('error', ({ message }) => gone(message))
socket.on('close', () => gone('the connection is closed'))
socket.on('data', (data) => {
  if (hasEnded) return
  text += data
  if (text.length > mostCharacters) {
    hasEnded = true
    gone(`an answer has more than ${mostCharacters} characters`)
    return socket.destroy()
  }
  const lines = text.split('\n')
  text = lines.pop() ?? ''
  lines.forEach(tell)
})
port.on('message', (line) => socket.write(`${line}\n`))
