"""Programs that read the repository and write a part of it; they run in its checkout and ship nowhere."""
