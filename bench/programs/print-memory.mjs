// node --import print-memory.mjs …: when the process ends, its error channel says how many bytes of memory it took at most.
process.on('exit', () => console.error(`maxBytes ${process.resourceUsage().maxRSS * 1024}`))
