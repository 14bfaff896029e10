import './sum.js'

console.log(1 + 2)
