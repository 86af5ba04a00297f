// Bundled by esbuild with Chrome DevTools' own code (devtools.py): reads the snapshot that the first argument names and prints, as JSON,
// what DevTools computes: per node [id, self size, retained size, distance, dominator, detachedness, class], and the rows of classes.
import * as fs from 'node:fs';
import {HeapSnapshotModel} from 'front_end/models/heap_snapshot/heap_snapshot.js';
import * as HeapSnapshot from 'front_end/entrypoints/heap_snapshot_worker/HeapSnapshot.js';
import * as HeapSnapshotLoader from 'front_end/entrypoints/heap_snapshot_worker/HeapSnapshotLoader.js';

Promise.withResolvers ??= function () {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, {resolve, reject}));
  return made;
};

const loader = new HeapSnapshotLoader.HeapSnapshotLoader({sendEvent() {}});
loader.write(fs.readFileSync(process.argv[2], 'utf8'));
loader.close();
const channel = new MessageChannel();
new HeapSnapshot.SecondaryInitManager(channel.port2);
const snapshot = await loader.buildSnapshot(channel.port1);
const nodes = [];
const node = snapshot.createNode(0);
for (let i = 0; i < snapshot.nodeCount; i++) {
  node.nodeIndex = i * snapshot.nodeFieldCount;
  nodes.push([node.id(), node.selfSize(), node.retainedSize(), node.distance(), snapshot.dominatorsTree[i], node.detachedness(), node.className()]);
}
const classes = Object.values(snapshot.aggregatesWithFilter(new HeapSnapshotModel.NodeFilter())).map(
  (c) => [c.name, c.count, c.distance, c.self, c.maxRet]);
fs.writeFileSync(process.argv[3], JSON.stringify({root: snapshot.rootNodeIndex / snapshot.nodeFieldCount, nodes, classes}));
process.exit(0);
