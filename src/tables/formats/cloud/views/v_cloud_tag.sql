-- topic: cloud
-- order: 170
-- Tags of traced invocations with their names and texts. Filter on slice_id.
-- column: id = cloud_tag.id
-- column: source_id = cloud_tag.source_id
-- column: slice_id = cloud_tag.slice_id
-- column: block_id = cloud_tag.block_id
-- column: record = cloud_tag.record
-- column: ts = cloud_tag.ts
-- column: name | TEXT | | the trace is damaged there | name of the tag; # and its number when the dictionary lacks the word
-- column: type = cloud_tag.type
-- column: value | TEXT | | no such text | the value, also where it is a text of its own
CREATE VIEW v_cloud_tag AS
SELECT t.id AS id, t.source_id AS source_id, t.slice_id AS slice_id, t.block_id AS block_id,
  t.record AS record, t.ts AS ts, ifnull(d.word, '#' || t.word_id) AS name, t.type AS type,
  ifnull(t.value, x.value) AS value
FROM cloud_tag AS t
LEFT JOIN cloud_dictionary AS d ON d.id = t.dictionary_id
LEFT JOIN cloud_text AS x ON x.id = t.text_id
