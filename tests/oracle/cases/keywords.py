"""MindSpore's names of arguments."""
from samples import calls, case

calls("ops.%s(input=a)", "abs neg exp log sin cos tanh sigmoid relu sqrt square floor ceil erf reciprocal isnan isfinite sign argmax sum amax softmax gelu silu flatten squeeze t unbind nan_to_num", "f32[2,3]")
calls("ops.%s(input=a, other=b)", "add sub mul div floor_div maximum minimum equal not_equal less less_equal greater greater_equal matmul logical_and logical_or isclose subtract multiply divide ne eq lt le gt ge",
      ("f32[3]", "f32[3]#1"))
calls("ops.%s", "sum(input=a,dim=1,keepdim=True) mean(x=a,axis=1,keep_dims=True) prod(input=a,axis=1,keep_dims=True) max(input=a,axis=1,keepdims=True) amin(input=a,axis=0,keepdims=True) std(input=a,axis=1,ddof=1,keepdims=True)"
      " argmax(input=a,dim=1,keepdim=True) argmin(input=a,axis=1,keepdims=True) cumsum(x=a,axis=1) softmax(input=a,axis=0) log_softmax(logits=a,axis=0) norm(A=a,ord=1,dim=1) reshape(input=a,shape=(3,2)) transpose(input=a,dims=(1,0))"
      " permute(input=a,axis=(1,0)) expand_dims(input_x=a,axis=0) squeeze(input=a,axis=None) tile(input=a,dims=(2,1)) broadcast_to(input=a,shape=(2,2,3)) flip(input=a,dims=(0,)) swapaxes(input=a,axis0=0,axis1=1)"
      " split(tensor=a,split_size_or_sections=1,axis=0) chunk(input=a,chunks=2,axis=0) stack(tensors=[a,a],axis=1) concat(tensors=[a,a],axis=1) cat(tensors=[a,a],axis=1) unstack(input_x=a,axis=1) clamp(input=a,min=0,max=1)"
      " pad(input_x=a,padding=(1,1),mode='constant',value=2.0) tril(input=a,diagonal=1) full_like(input=a,fill_value=2) zeros_like(input=a,dtype=ms.int32) cast(input=a,dtype=ms.int32) topk(input=a,k=2,dim=1,largest=False)"
      " sort(input_x=a,axis=1,descending=True) argsort(input=a,axis=1,descending=True) leaky_relu(input=a,alpha=0.3) elu(input_x=a,alpha=1.0) gelu(input=a,approximate='tanh') hardshrink(input=a,lambd=0.3) dropout(input=a,p=0.0,training=True)"
      " unsqueeze(input=a,dim=0) repeat_interleave(input=a,repeats=2,axis=0) diagonal(input=a,offset=1,dim1=0,dim2=1) roll(input=a,shifts=1,dims=0) narrow(input=a,axis=1,start=0,length=2) logsumexp(input=a,dim=1,keepdim=True)"
      " layer_norm(input=a,normalized_shape=(3,)) softplus(input=a,beta=2,threshold=20) round(input=a,decimals=1) relu(input=a,inplace=False) div(input=a,other=2.0,rounding_mode='floor') full(size=(2,),fill_value=2) zeros(size=(2,))"
      " ones(shape=(2,)) arange(start=0,end=3,step=1,dtype=ms.float32) eye(n=2,m=3,dtype=ms.float32) linspace(start=0,end=1,steps=3) one_hot(indices=Tensor([0,1]),depth=2,on_value=1,off_value=0,axis=-1)"
      " sum(input=a,dim=1,dtype=ms.float64) cumsum(x=a,axis=1,dtype=ms.float64) matmul(input=a,other=a.T) mse_loss(input=a,target=a+1,reduction='sum') l1_loss(input=a,target=a+1) smooth_l1_loss(input=a,target=a+1,beta=0.5,reduction='sum')"
      " huber_loss(input=a,target=a+1,reduction='sum',delta=0.5) binary_cross_entropy_with_logits(input=a,target=a,reduction='sum') cross_entropy(input=a,target=Tensor([0,1],ms.int32)) kl_div(logits=a,labels=a*a,reduction='sum')", "f32[2,3]")
case("ops.where(condition=a, input=b, other=c)", ("b[3]", "f32[3]", "f32[3]#1"))
case("ops.select(condition=a, input=b, other=c)", ("b[3]", "f32[3]", "f32[3]#1"))
case("ops.gather(input_params=a, input_indices=b, axis=0)", ("f32[2,3]", "i32[2]<2"))
case("ops.gather_elements(input=a, dim=0, index=b)", ("f32[2,3]", "i64[2,3]<2"))
case("ops.masked_fill(input_x=a, mask=b, value=2.0)", ("f32[3]", "b[3]"))
case("ops.masked_select(input=a, mask=b)", ("f32[3]", "b[3]"))
case("ops.dense(input=a, weight=b, bias=c)", ("f32[2,3]", "f32[4,3]", "f32[4]"))
case("ops.conv2d(input=a, weight=b, bias=None, stride=1, pad_mode='valid', padding=0, dilation=1, groups=1)", ("f32[1,2,5,5]", "f32[3,2,3,3]"))
case("ops.max_pool2d(x=a, kernel_size=2, stride=2, padding=0, dilation=1, return_indices=False, ceil_mode=False)", "f32[1,2,4,4]")
case("ops.embedding(input=a, weight=b)", ("i32[3]<3", "f32[3,2]"))
case("ops.addmm(input=a, mat1=b, mat2=c, beta=2, alpha=0.5)", ("f32[2,2]", "f32[2,3]", "f32[3,2]"))
case("ops.tensor_scatter_add(input_x=a, indices=b, updates=c)", ("f32[3]", "i32[2,1]<3", "f32[2]"))
case("ops.scatter_nd(indices=a, updates=b, shape=(4,))", ("i32[2,1]<4", "f32[2]"))
case("ops.index_select(input=a, axis=0, index=b)", ("f32[2,3]", "i32[2]<2"))
