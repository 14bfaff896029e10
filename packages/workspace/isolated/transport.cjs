'use strict'
const { join } = require('node:path')
const { MessageChannel, Worker, receiveMessageOnPort } = require('node:worker_threads')

/**
 * Sends requests one after the other and waits for each answer, which a separate thread receives. A promise whose
 * answer was `pending` is settled later.
 */
function transport(place) {
  const { port1: port, port2 } = new MessageChannel()
  const count = new Int32Array(new SharedArrayBuffer(4))
  const options = { workerData: { port: port2, place, count }, transferList: [port2], execArgv: [], env: {} }
  new Worker(join(__dirname, 'transport-thread.cjs'), options).unref()
  const waiting = new Map()
  let ended
  let last = 0
  const settle = (id, reply) => {
    const then = waiting.get(id)
    waiting.delete(id)
    if (waiting.size === 0) port.unref()
    then?.(reply)
  }
  const take = (reply) => {
    if (reply.ended === undefined) return settle(reply.settled, reply)
    ended ??= reply
    for (const id of [...waiting.keys()]) settle(id, ended)
  }
  port.on('message', (line) => take(JSON.parse(line)))
  port.unref()
  const received = () => {
    for (;;) {
      const seen = Atomics.load(count, 0)
      const found = receiveMessageOnPort(port)
      if (found !== undefined) return JSON.parse(found.message)
      Atomics.wait(count, 0, seen)
    }
  }
  function ask(message) {
    if (ended === undefined) port.postMessage(JSON.stringify({ ...message, id: ++last }))
    while (ended === undefined) {
      const reply = received()
      if (reply.settled === undefined && reply.ended === undefined) return reply
      take(reply)
    }
    return ended
  }
  function whenSettled(id, then) {
    waiting.set(id, then)
    port.ref()
  }
  return { ask, whenSettled }
}

module.exports = { transport }
