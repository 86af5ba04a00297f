// heap_app.js FILE: a heap snapshot of about 3 000 000 nodes and 10 000 000 edges, 240 MB, of a program of a usual kind: users,
// sessions with closures, caches, an event bus, a long list, documents, WeakMaps. Equal but for what Node.js brings itself.
'use strict';

class User {
    constructor(i) {
        this.id = i;
        this.name = 'user ' + i;
        this.email = 'user' + i + '@example.org';
        this.tags = ['a' + (i % 97), 'b' + (i % 13)];
        this.address = { street: 'Street ' + (i % 1000), city: 'City ' + (i % 50), zip: i % 99999 };
        this.friends = [];
    }
}

class Session {
    constructor(user, i) {
        this.user = user;
        this.started = i * 1.5;
        this.data = { page: '/p/' + (i % 500), items: [i, i + 1, user] };
        this.onClose = () => {
            this.user = null;
            return i;
        };
    }
}

class Entry {
    constructor(value, next) {
        this.value = value;
        this.next = next;
    }
}

let seed = 12345;
function below(n) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return seed % n;
}

const app = { users: [], sessions: new Map(), handlers: new Map(), cache: new Map(), meta: new WeakMap(), docs: [], list: null, index: {} };
global.app = app;
const anyone = () => app.users[below(app.users.length)];

for (let i = 0; i < 120000; i++) app.users.push(new User(i));
for (const user of app.users) for (let k = 0; k < 4; k++) user.friends.push(anyone());
for (let i = 0; i < 90000; i++) {
    const session = new Session(anyone(), i);
    app.sessions.set('s' + i, session);
    if (i % 5 === 0) {
        const topic = 'close' + (i % 40);
        if (!app.handlers.has(topic)) app.handlers.set(topic, []);
        app.handlers.get(topic).push(session.onClose);
    }
}
for (let i = 0; i < 10200; i++) app.meta.set(app.users[i], { seen: i, from: app.users[(i * 7) % app.users.length] });
for (let i = 0; i < 25500; i++) app.list = new Entry({ i }, app.list);
for (let i = 0; i < 30000; i++) {
    const doc = { type: 'doc', title: 'Title ' + (i % 3000), body: 'text of ' + i + (' more ' + (i % 7)), rows: [] };
    for (let k = 0; k < 5; k++) doc.rows.push({ k, v: k * i + 0.5, ref: anyone() });
    app.docs.push(doc);
}
for (let i = 0; i < 40000; i++) {
    const bytes = i % 50 === 0 ? Buffer.from('b' + i) : null;
    app.cache.set(anyone(), { hits: i, key: 'key' + i, set: new Set([i, i + 0.5]), bytes });
}
for (let i = 0; i < 20000; i++) app.index['k' + i] = [app.docs[below(app.docs.length)], anyone()];

require('v8').writeHeapSnapshot(process.argv[2]);
