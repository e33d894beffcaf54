"""What peers, end_to_end and profile share: running programs and timing them, streams, tables, and the peers' cases."""
