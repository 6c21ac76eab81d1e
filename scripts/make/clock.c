/*
 * clock.c is preloaded into GNU wget by make.py. It gives wget the site's clock,
 * so that crawls days apart are made in seconds, and record ids that depend on
 * nothing but the crawl's name, so that archives are rebuilt byte for byte.
 *
 * SITE_CLOCK  file that holds the time now, in seconds since 1970
 * SITE_SEED   number from which the record ids of this crawl follow
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

time_t time(time_t *result)
{
	const char *name = getenv("SITE_CLOCK");
	FILE *clock = name ? fopen(name, "r") : NULL;
	long now = -1;

	if (!clock || fscanf(clock, "%ld", &now) != 1)
		abort();
	fclose(clock);
	if (result)
		*result = now;
	return now;
}

/* splitmix64: any well-mixed sequence will do, the ids need only be distinct. */
static uint64_t next(void)
{
	static uint64_t state;
	uint64_t z;

	if (!state)
		state = strtoull(getenv("SITE_SEED"), NULL, 10);
	z = (state += 0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

void uuid_generate(unsigned char *out)
{
	for (int i = 0; i < 16; i += 8) {
		uint64_t r = next();
		for (int j = 0; j < 8; j++)
			out[i + j] = r >> (8 * j);
	}
	out[6] = (out[6] & 0x0f) | 0x40;
	out[8] = (out[8] & 0x3f) | 0x80;
}
