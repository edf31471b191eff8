-- What was granted to API keys and organizations lately, for servers that share their limits. Unlogged: after a crash
-- everybody begins anew. No tenant reads or writes it.
create unlogged table rate_counts (
  -- The owner and the length of its slots, so that a limit of another length counts by itself.
  id text primary key,
  -- The number of the newest slot, by the database's clock.
  slot bigint not null,
  -- The units of each slot, the newest first.
  counts integer[] not null
) with (fillfactor = 50);

-- Counts units, and grants of `wants` what is left of `quotas`; `debts` were granted before by the server itself and count
-- in any case. Servers take the rows in the same order, so that they never wait for each other in a circle. `at` is the time
-- in milliseconds since 1970.
create function count_rates(ids text[], quotas integer[], slot_millis integer[], debts integer[], wants integer[])
  returns table (at float8, owner text, newest float8, units integer[], granted integer)
  language plpgsql set search_path = public, pg_temp
  as $$
declare
  asked record; known rate_counts; present bigint; passed integer;
begin
  for asked in
    select * from unnest(ids, quotas, slot_millis, debts, wants) as one (id, quota, millis, debt, want) order by one.id
  loop
    insert into rate_counts values (asked.id, 0, array_fill(0, array[51])) on conflict do nothing;
    select * into known from rate_counts where id = asked.id for update;
    at := extract(epoch from clock_timestamp()) * 1000;
    present := greatest(known.slot, floor(at / asked.millis)::bigint);
    passed := least(present - known.slot, 51);
    units := array_fill(0, array[passed]) || known.counts[1:51 - passed];
    granted := greatest(0, least(asked.want, asked.quota - asked.debt - (select sum(u)::integer from unnest(units) u)));
    units[1] := units[1] + asked.debt + granted;
    update rate_counts set slot = present, counts = units where id = asked.id;
    owner := asked.id;
    newest := present;
    return next;
  end loop;
end
$$;

revoke all on function count_rates from public;
