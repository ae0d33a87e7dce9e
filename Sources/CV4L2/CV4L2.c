#include <stddef.h>
int lc_v4l2_placeholder(void);
int lc_v4l2_placeholder(void){return 0;}
