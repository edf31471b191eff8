-- Postgres lets every role execute a new function. A function that runs with its owner's rights reads past row-level
-- security, so that a second role on the same server could read all tenants through it. Only the tenants' role may
-- execute the functions of this schema; trigger functions need no right. Functions of extensions stay as they are, and
-- so do default privileges, which would also hold for what an extension adds later in this owner's name: a migration
-- that makes a function has to revoke and grant by itself.
do $$
declare
  one record;
begin
  for one in
    select p.oid::regprocedure as name, p.prorettype = 'trigger'::regtype as is_trigger
    from pg_proc p
    where p.pronamespace = 'public'::regnamespace and pg_has_role(current_user, p.proowner, 'usage')
      and not exists (
        select from pg_depend d
        where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
      )
  loop
    execute format('revoke execute on routine %s from public', one.name);
    if not one.is_trigger then
      execute format('grant execute on routine %s to parley_tenant', one.name);
    end if;
  end loop;
end
$$;

-- In a database that was made by Postgres 14 or before, every role may create objects beside these functions. Only the
-- owner of the schema can change that; for others this is a warning.
revoke create on schema public from public;
