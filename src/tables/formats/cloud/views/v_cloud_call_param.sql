-- topic: cloud
-- order: 160
-- Values of parameters of calls with their names. Filter on call_id.
-- column: call_id = cloud_call_param.call_id
-- column: source_id | INTEGER | id of source | | the pod
-- column: name | TEXT | | | name of the parameter; # and its number when the dictionary lacks the word
-- column: ordinal = cloud_call_param.ordinal
-- column: value = cloud_call_param.value
CREATE VIEW v_cloud_call_param AS
SELECT p.call_id AS call_id, c.source_id AS source_id,
  ifnull(d.word, '#' || p.word_id) AS name, p.ordinal AS ordinal, p.value AS value
FROM cloud_call_param AS p
LEFT JOIN cloud_call AS c ON c.id = p.call_id
LEFT JOIN cloud_dictionary AS d ON d.id = p.dictionary_id
