// A service that answers requests. After every 5000 of them it has 5000 more sessions.
const v8 = require('v8');

class Session {
  constructor(user) { this.user = user; this.hits = 0; }
}
class Store {
  constructor() { this.sessions = new Map(); }
  open(id, user) { this.sessions.set(id, new Session(user)); }
}
const store = new Store();

function serve(requests) {
  for (let i = 0; i < requests; i++) {
    store.open(store.sessions.size, i % 100);
  }
}
serve(1000); // warm
v8.writeHeapSnapshot('before.heapsnapshot');
serve(5000);
v8.writeHeapSnapshot('after.heapsnapshot');
