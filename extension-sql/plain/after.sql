select queue.migrate();
