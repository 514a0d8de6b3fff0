// Threads.
#pragma once

/// Names the calling thread for tools such as `top -H`; longer names are cut to 15 bytes.
void stint_name_thread(const char *_Nonnull name);

/// The number of processors in this process's affinity mask.
int stint_processor_count(void);
