-- usable from: 0026
-- Servers only add up what they count in `rate_counts`; each decides by the sum. One of an older version, which does not
-- find the function, decides by its own counts.
drop function count_rates;
