console.log(1 + 2)
