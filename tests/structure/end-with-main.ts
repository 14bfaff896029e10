/** A worker ends when the process that started the tests is gone: what a test waits for would keep it alive. */
function endWithMain(): void {
  process.kill(process.pid, 'SIGKILL')
}

// Each test file of a worker runs this.
if (!process.listeners('disconnect').some(({ name }) => name === endWithMain.name))
  process.once('disconnect', endWithMain)
